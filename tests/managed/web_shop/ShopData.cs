// SPDX-License-Identifier: MIT
// What the shop has: 200 products and the orders of them.
using System.Linq;
using Microsoft.EntityFrameworkCore;

namespace WebShop;

sealed class Product
{
    public int Id { get; set; }
    public required string Name { get; set; }
    public int Department { get; set; }
    public int Pennies { get; set; }
}

sealed class Order
{
    public int Id { get; set; }
    public int ProductId { get; set; }
    public int Pennies { get; set; }
}

sealed class ShopData(DbContextOptions<ShopData> options) : DbContext(options)
{
    public const int Many = 200;

    public DbSet<Product> Products => Set<Product>();
    public DbSet<Order> Orders => Set<Order>();

    public static void Fill(ShopData data)
    {
        data.Database.EnsureCreated();
        data.Products.AddRange(Enumerable.Range(1, Many).Select(
            id => new Product { Id = id, Name = $"product {id}", Department = id % 10, Pennies = 100 + id }));
        data.SaveChanges();
    }
}
